import trellis
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

params = trellis.params(C=1.0, gamma=1e-3)
X, y = load_digits(return_X_y=True)
accuracy = cross_val_score(SVC(**params), X, y, cv=3).mean()
trellis.report(accuracy=accuracy)
print(accuracy)

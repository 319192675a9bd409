"""What a bundle promises, read from its files."""
import elf


def newest_of_libc(tree, files):
    """(version, file) of the newest symbol of the C library that any of a tree's files asks for."""
    return max(((elf.versions(path) or [(0,)])[-1], str(path.relative_to(tree))) for path in files if elf.is_elf(path))


def libraries(tree, files, others=elf.SYSTEM):
    """Libraries that some files of a tree ask for and that are neither carried nor somebody else's."""
    problems = []
    for path in files:
        if not elf.is_elf(path):
            continue
        for name in elf.needed(path):
            if elf.SYSTEM.fullmatch(name) or others.fullmatch(name):
                continue
            places = [folder.replace("$ORIGIN", str(path.parent)) for folder in elf.folders(path)]
            if not any((tree / place / name).is_file() for place in places if place):
                problems.append(f"{path.relative_to(tree)}: {name} is not where it looks ({':'.join(elf.folders(path))})")
        problems += [f"{path.relative_to(tree)}: looks in {folder}" for folder in elf.folders(path)
                     if folder and not folder.startswith("$ORIGIN")]
    return problems


def names(tree, files, forbidden):
    """Files that name a folder in which the bundle was made."""
    problems = []
    for path in files:
        if path.is_symlink():
            problems.append(f"{path.relative_to(tree)}: a link")
        elif path.is_file():
            content = path.read_bytes()
            problems += [f"{path.relative_to(tree)}: names {text}" for text in forbidden if text.encode() in content]
    return problems

import type { PyodideAPI } from 'pyodide';

const ROOT = '/mnt/data';

/** The folder that a cell shares with whoever runs it. */
export type DataFolder = {
  put(name: string, bytes: Uint8Array): void;
  /** The files that are new or other than at the last look, by their names below the folder. */
  changed(): { name: string; bytes: number }[];
  take(name: string): Uint8Array;
};

export function createDataFolder(fs: PyodideAPI['FS']): DataFolder {
  fs.mkdirTree(ROOT);
  let seen = new Map<string, string>();

  /** Each file with what tells its versions apart. Links are left out. */
  function look(folder: string, found: Map<string, { mark: string; bytes: number }>): typeof found {
    for (const name of fs.readdir(folder) as string[]) {
      if (name === '.' || name === '..') continue;
      const path = `${folder}/${name}`;
      const { mode, size, mtime } = fs.lstat(path);
      if (fs.isDir(mode)) look(path, found);
      else if (fs.isFile(mode))
        found.set(path.slice(ROOT.length + 1), { mark: `${size} ${Number(mtime)}`, bytes: size });
    }
    return found;
  }

  function changed(): { name: string; bytes: number }[] {
    // A cell may have removed the folder.
    const found = fs.analyzePath(ROOT).exists ? look(ROOT, new Map()) : new Map();
    const before = seen;
    seen = new Map([...found].map(([name, { mark }]) => [name, mark]));
    return [...found]
      .filter(([name, { mark }]) => before.get(name) !== mark)
      .map(([name, { bytes }]) => ({ name, bytes }));
  }

  return {
    put(name, bytes) {
      fs.writeFile(`${ROOT}/${name}`, bytes);
      changed();
    },
    changed,
    take: (name) => fs.readFile(`${ROOT}/${name}`) as Uint8Array,
  };
}

// Runs a program of this repository, on a fresh clone too: `node scripts/run.mjs <arguments of Node.js>`. Installs what is
// missing first, and takes the Node.js that was installed, since the one that runs this file may be too old.

import { replaceProcess } from './replace-process.mjs';
import { runtime } from './setup.mjs';

replaceProcess(runtime, ['--disable-warning=ExperimentalWarning', ...process.argv.slice(2)]);

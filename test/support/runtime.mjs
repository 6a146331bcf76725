// Jest's runtime, but packages are loaded once a worker: they take most of the time in which a test file is loaded, and no
// test changes them. The code of this repository stays each test file's own, except for `worker/`, which holds what the test
// files of a worker share.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { types } from 'node:util';
import { runInContext, SyntheticModule } from 'node:vm';
import jestRuntime from 'jest-runtime';

const require = createRequire(import.meta.url);

/** A module of a package, as the modules of `context` can import it. */
function shared(key, context) {
  const exported = require(key.startsWith('file:') ? fileURLToPath(key) : key);
  const isNamespace = types.isModuleNamespaceObject(exported);
  const all = isNamespace ? exported : { ...exported, default: exported };
  const names = Object.keys(all).filter((name) => name !== 'module.exports');
  const module = new SyntheticModule(
    names,
    function () {
      for (const name of names) this.setExport(name, all[name]);
    },
    { context, identifier: key },
  );
  // A module of values alone is evaluated when this returns.
  module.evaluate();
  return module;
}

/** Packages of each test file's own: SDKs look at globals that a test sets, and at the classes of its realm. */
const ownPackages = /\/node_modules\/(@jest|@ai-sdk|ai|openai)\//;

const ofWorker = /\/test\/support\/worker\//;

const isShared = (key) => (key.includes('/node_modules/') ? !ownPackages.test(key) : ofWorker.test(key));

class Modules extends Map {
  #context;
  constructor(context) {
    super();
    this.#context = context;
  }
  get(key) {
    if (!this.has(key) && isShared(key)) this.set(key, shared(key, this.#context));
    return super.get(key);
  }
}

const isInstance = Function.prototype[Symbol.hasInstance];

/** What the language makes by itself is of the realm whose code runs; these tell it in every realm. */
const brands = {
  Array: Array.isArray,
  Error: Error.isError,
  Promise: types.isPromise,
  RegExp: types.isRegExp,
};

/** `instanceof` of this class is true for what `isOne` takes as well; that of a subclass is as ever. */
function takeAlso(itsClass, isOne) {
  Object.defineProperty(itsClass, Symbol.hasInstance, {
    configurable: true,
    value(value) {
      return isInstance.call(this, value) || (this === itsClass && isOne(value));
    },
  });
}
for (const [name, isOne] of Object.entries(brands)) takeAlso(globalThis[name], isOne);

const errors = ['AggregateError', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError'];

/** What a package makes is a `Date`, a `Map` or an `Error` for the code of tests, and the other way round. */
function shareClasses(context) {
  Object.assign(context, { Date, Map, Set, WeakMap });
  for (const name of [...Object.keys(brands), ...errors, 'Object', 'Function']) {
    const isOne = (value) => isInstance.call(globalThis[name], value) || brands[name]?.(value) === true;
    takeAlso(runInContext(name, context), isOne);
  }
}

const Runtime = jestRuntime.default ?? jestRuntime;

export default class extends Runtime {
  constructor(config, environment, ...rest) {
    super(config, environment, ...rest);
    const context = environment.getVmContext();
    shareClasses(context);
    const modules = new Modules(context);
    this.esmLoader.registries.getActiveEsmRegistry = () => modules;
  }
}

// Jest's runtime, but packages and the product are loaded once a worker: that takes most of the time in which a test file is
// loaded, their code is as fast as in a running process once it was run for a while, and no test changes them. What tests
// are made of stays each test file's own, except for `worker/`, which holds what the test files of a worker share.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
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

const ofProduct = /^(?:src|rest-compat|seeds)\//;
const ofWorker = /^test\/support\/worker\//;

const root = pathToFileURL(`${join(import.meta.dirname, '../..')}/`).href;

/** The path of a module below the root of this repository. */
const pathOf = (key) => (key.startsWith('file:') ? key : pathToFileURL(key).href).replace(root, '');

const isPackage = (key) => key.includes('/node_modules/');
const isAlwaysShared = (key) => (isPackage(key) ? !ownPackages.test(key) : ofWorker.test(pathOf(key)));
const isShared = (key) => isAlwaysShared(key) || ofProduct.test(pathOf(key));

/** What is loaded once a worker knows neither the modules nor the clock that such a test file replaces. */
const replacesParts = /\bjest\s*\.(?:unstable_mockModule|useFakeTimers)\(/;

class Modules extends Map {
  #context;
  #isShared;
  constructor(context, isShared) {
    super();
    this.#context = context;
    this.#isShared = isShared;
  }
  get(key) {
    if (!this.has(key) && this.#isShared(key)) this.set(key, shared(key, this.#context));
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
  constructor(...given) {
    super(...given);
    const [, environment, , , , , testPath] = given;
    const context = environment.getVmContext();
    shareClasses(context);
    const hasOwn = replacesParts.test(readFileSync(testPath, 'utf8'));
    const modules = new Modules(context, hasOwn ? isAlwaysShared : isShared);
    this.esmLoader.registries.getActiveEsmRegistry = () => modules;
  }
}

export { endSignIns, signOut } from './end.ts';
export { LIFE_MS } from './lifetime.ts';
export { type SignInDocument, type SignInMethod, signInModel } from './model.ts';
export { loadSignInRecords } from './records.ts';
export { recordRefusedSignIn, type SignInTarget } from './refused.ts';
export { type Proven, startSignIn } from './start.ts';

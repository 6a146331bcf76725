import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { grownCache } from '../lib/grown-cache.ts';
import { takeRandomBytes } from '../lib/ids.ts';

/** Keeps secrets safe at rest: API keys as keyed hashes, provider credentials encrypted. */
export type Secrets = {
  /** A new gateway key: 256 random bits behind a recognisable prefix. Shown once, stored only as `hash`. */
  generateKey(): string;
  /**
   * A key in the form of `generateKey` that is always the same for the same seed; without the master key, the seed
   * does not reveal it.
   */
  derivedKey(seed: string): string;
  /** HMAC-SHA-256 of a gateway key, hex. */
  hash(secret: string): string;
  /** AES-256-GCM; `owner` (e.g. the integration's id) is authenticated, so a ciphertext cannot be moved to another document. */
  encrypt(plain: string, owner: string): string;
  decrypt(sealed: string, owner: string): string;
  /** HMAC-SHA-256, hex, under a key of its own for each purpose: whoever has the database alone can make none. */
  sign(purpose: SignaturePurpose, text: string): string;
  /** A key of 32 bytes to seal files with, the same for every process with this master key. */
  fileKey(purpose: 'request log overflow'): KeyObject;
  /** Names the master key without revealing it; two processes with one database must agree on it. */
  fingerprint: string;
};

/**
 * `audit chain` links the entries of the audit trail, `audit digest` tells the states of a resource apart, `export link`
 * lets in whoever has the link. `bundle plan` and `bundle secret` tell plans and applied secrets apart.
 */
export type SignaturePurpose =
  | 'audit chain'
  | 'audit digest'
  | 'bundle plan'
  | 'bundle secret'
  | 'export link';

const keyForm = /sl-[\w-]{43}/;
const wholeKeyForm = /^sl-[\w-]{43}$/;

/** Whether a text has the form of a gateway key and holds nothing else. */
export const isGatewayKey = (text: string): boolean => wholeKeyForm.test(text);

/** Whether something with the form of a gateway key stands in a text. */
export const hasGatewayKey = (text: string): boolean => keyForm.test(text);

const derive = (master: Buffer, purpose: string) =>
  Buffer.from(hkdfSync('sha256', master, '', `sluice ${purpose}`, 32));

/** A key object: importing raw bytes anew takes several times as long as a hash or the encryption of a short text. */
const keyFor = (master: Buffer, purpose: string) => createSecretKey(derive(master, purpose));

export function createSecrets(masterKey: Buffer): Secrets {
  const hashKey = keyFor(masterKey, 'api-key hash');
  const derivedKeyKey = keyFor(masterKey, 'derived keys');
  const sealKey = keyFor(masterKey, 'credential encryption');
  const signingKeys: Record<SignaturePurpose, KeyObject> = {
    'audit chain': keyFor(masterKey, 'audit chain'),
    'audit digest': keyFor(masterKey, 'audit digest'),
    'bundle plan': keyFor(masterKey, 'bundle plan'),
    'bundle secret': keyFor(masterKey, 'bundle secret'),
    'export link': keyFor(masterKey, 'export link'),
  };
  // Every request brings its key, so the hashes of the latest keys are kept. The keys themselves are in memory anyway
  // while their requests last.
  const recent = grownCache<string>(5000);
  return {
    fingerprint: derive(masterKey, 'fingerprint').toString('hex').slice(0, 16),
    generateKey: () => `sl-${randomBytes(32).toString('base64url')}`,
    derivedKey: (seed) => `sl-${createHmac('sha256', derivedKeyKey).update(seed).digest('base64url')}`,
    hash(secret) {
      let digest = recent.get(secret);
      if (digest === undefined) {
        digest = createHmac('sha256', hashKey).update(secret).digest('hex');
        recent.set(secret, digest);
      }
      return digest;
    },
    sign: (purpose, text) => createHmac('sha256', signingKeys[purpose]).update(text).digest('hex'),
    fileKey: (purpose) => keyFor(masterKey, purpose),
    encrypt(plain, owner) {
      const nonce = takeRandomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce).setAAD(Buffer.from(owner));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    decrypt(sealed, owner) {
      if (!sealed.startsWith('v1.')) throw new Error('Unknown credential format.');
      const bytes = Buffer.from(sealed.slice(3), 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', sealKey, bytes.subarray(0, 12), { authTagLength: 16 })
        .setAAD(Buffer.from(owner))
        .setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    },
  };
}

/** `sk-abcdef123456` -> `sk-***3456`: enough to recognise a credential, not to use it. */
export function maskSecret(secret: string): string {
  if (secret.length < 12) return '***';
  return `${secret.slice(0, 3)}***${secret.slice(-4)}`;
}

import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose';
import { Schema } from 'mongoose';
import { defineModel } from '../model.ts';
import type { Secrets } from '../secrets.ts';

export type PublicJwk = { kty: string; crv: string; x: string; y: string };

export type SigningKeyDocument = {
  /** Key id: the thumbprint of the public key (RFC 7638). */
  _id: string;
  publicJwk: PublicJwk;
  /** `Secrets.encrypt` of the private JWK. */
  sealedPrivateKey: string;
  createdAt: Date;
  /** The time from which it signs, until a later key does; it is published before. */
  signsFrom: Date;
};

const schema = new Schema<SigningKeyDocument>(
  {
    _id: String,
    publicJwk: { type: Schema.Types.Mixed, required: true },
    sealedPrivateKey: { type: String, required: true },
    createdAt: { type: Date, required: true },
    signsFrom: { type: Date, required: true },
  },
  { collection: 'signing_keys', versionKey: false, autoIndex: false, autoCreate: false },
);

export const signingKeyModel = defineModel('SigningKey', schema);

const ALGORITHM = 'ES256';

/** A new key pair, its private half sealed. */
export async function newSigningKey(
  secrets: Secrets,
  createdAt: Date,
  signsFrom: Date,
): Promise<SigningKeyDocument> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const { kty, crv, x, y } = jwk as PublicJwk;
  const publicJwk = { kty, crv, x, y };
  const id = await calculateJwkThumbprint(publicJwk);
  return {
    _id: id,
    publicJwk,
    sealedPrivateKey: secrets.encrypt(JSON.stringify(jwk), id),
    createdAt,
    signsFrom,
  };
}

export async function importKeys(secrets: Secrets, { _id, publicJwk, sealedPrivateKey }: SigningKeyDocument) {
  const privateJwk = JSON.parse(secrets.decrypt(sealedPrivateKey, _id)) as JWK;
  const [publicKey, privateKey] = await Promise.all([
    importJWK(publicJwk, ALGORITHM),
    importJWK(privateJwk, ALGORITHM),
  ]);
  return { publicKey: publicKey as CryptoKey, privateKey: privateKey as CryptoKey };
}

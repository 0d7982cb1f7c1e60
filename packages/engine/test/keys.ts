/** Key pairs that sign attestations in tests, and nowhere else. */
import type { PublicJwk } from '../src/policy/documents.ts';

export const ED25519_JWK: PublicJwk = {
  kty: 'OKP',
  crv: 'Ed25519',
  kid: 'ed-1',
  x: 'iZ1ag0zgTEHXJ9fd0IHUfZyu0AvmZovokhXnnnH2kq8',
};
export const P256_JWK: PublicJwk = {
  kty: 'EC',
  crv: 'P-256',
  kid: 'ec-1',
  x: '2088LYC7YIAe4bX7XMgUbVrKsIx3VuHmpSz_w7WtCAU',
  y: '1f5NDyJxT-SHXVDZ0QUfkVWayhlJTWU9lnqfz2oSH2U',
};

/** The private parts. */
export const ED25519_SECRET = 'VXCrfdw6gh5RMWa49np7oYTt8sdPjLC-AVLSwNpziIw';
export const P256_SECRET = '4xBCnwCrTMTrT4RMZskTsseWWevY2ukZkUGWB4gJ11w';

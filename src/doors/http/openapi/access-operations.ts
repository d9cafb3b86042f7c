/** Who may do what: signing in, tenants, keys, accounts, the audit log. Bodies are the very schemas the room reads with. */
import { z } from 'zod';
import { ACCESS_INPUTS } from '../../../access/index.js';
import { SIGN_OUT } from '../auth-routes.js';
import { admin, auditEntry, key, session, signedIn, tenant } from './answer-schemas.js';
import type { Operations } from './operation.js';
import { instant } from './shared-schemas.js';

const next = z.strictObject({ next: z.literal('code'), expiresAt: instant });

export const accessOperations: Operations = {
  'POST /auth/sign-in': {
    summary: 'The password; a six-digit code is sent.',
    body: ACCESS_INPUTS.credentials,
    example: { email: 'ada@example.com', password: 'correct horse battery' },
    answers: { 200: next },
  },
  'POST /auth/code': {
    summary: 'The code; opens a session, kept in a cookie.',
    ...{ body: ACCESS_INPUTS.code, example: { code: '123456' } },
    answers: { 200: z.strictObject({ admin: signedIn, expiresAt: instant }) },
  },
  'POST /auth/code/resend': { summary: 'Another code.', answers: { 200: next } },
  'POST /auth/sign-out': {
    summary: 'Close this session, or all.',
    ...{ body: SIGN_OUT, bodyOptional: true, example: { everywhere: false } },
    answers: { 200: z.strictObject({ signedOut: z.boolean() }) },
  },
  'GET /auth/me': { summary: 'Who is signed in.', answers: { 200: signedIn } },
  'GET /admin/session': {
    summary: 'Who is looking, and what the dashboard has for them.',
    answers: { 200: session },
  },
  'GET /admin/tenants': {
    summary: 'Companies that send through this Postrider, by id.',
    query: ACCESS_INPUTS.tenantPage,
    answers: { 200: z.strictObject({ tenants: z.array(tenant), nextCursor: z.string().nullable() }) },
  },
  'POST /admin/tenants': {
    summary: 'Add one.',
    body: ACCESS_INPUTS.newTenant,
    example: { companyId: 'shop', name: 'Shop', fromDomains: ['example.com'] },
    answers: { 201: tenant },
  },
  'PATCH /admin/tenants/:companyId': {
    summary: 'Change its name, its domains, or whether it is disabled.',
    body: ACCESS_INPUTS.tenantChange,
    example: { name: 'Shop', fromDomains: ['example.com'], disabled: false },
    answers: { 200: tenant },
  },
  'GET /admin/keys': {
    summary: 'API keys by company, without their tokens.',
    query: ACCESS_INPUTS.keyPage,
    answers: { 200: z.strictObject({ keys: z.array(key), nextCursor: z.string().nullable() }) },
  },
  'POST /admin/keys': {
    summary: 'Make a key; its token is in this answer and in no other.',
    body: ACCESS_INPUTS.newKey,
    example: { companyId: 'default', name: 'Checkout', permission: 'sending', fromDomains: ['example.com'] },
    answers: { 201: key.extend({ token: z.string() }) },
  },
  'DELETE /admin/keys/:id': { summary: 'Revoke a key at once.', answers: { 200: key } },
  'GET /admin/admins': {
    summary: 'Accounts of operators.',
    answers: { 200: z.strictObject({ admins: z.array(admin) }) },
  },
  'POST /admin/admins': {
    summary: 'Add an account.',
    body: ACCESS_INPUTS.newAdmin,
    example: { email: 'eve@example.com', name: 'Eve', role: 'viewer', password: 'correct horse battery' },
    answers: { 201: admin },
  },
  'PATCH /admin/admins/:id': {
    summary: 'Change an account; its sessions end.',
    body: ACCESS_INPUTS.adminChange,
    example: { name: 'Eve', role: 'operator', disabled: false },
    answers: { 200: admin },
  },
  'POST /admin/admins/:id/code': {
    summary: 'A sign-in code without email, for whoever holds the operators’ key.',
    answers: { 200: z.strictObject({ code: z.string(), expiresAt: instant }) },
  },
  'POST /admin/secrets/rotate': {
    summary: 'Seal every secret with the newest key.',
    answers: { 200: z.strictObject({ resealed: z.int(), total: z.int() }) },
  },
  'GET /admin/audit': {
    summary: 'Who did what, the newest first.',
    query: ACCESS_INPUTS.auditPage,
    answers: { 200: z.strictObject({ entries: z.array(auditEntry), next: z.string().nullable() }) },
  },
};

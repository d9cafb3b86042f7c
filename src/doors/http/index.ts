export type { BroadcastRoom } from './broadcast-routes.js';
export type { Connection } from './client-address.js';
export { createHttpApp, type HttpAppOptions } from './create-http-app.js';
export type { AcceptedEmail, AcceptOptions, HttpRooms, Readiness } from './http-rooms.js';
export type { RegionRooms } from './region-gate.js';
export { type HttpServer, type HttpServerOptions, startHttpServer } from './start-http-server.js';
export type { UnsubscribeRoom } from './unsubscribe-room.js';

/** For our own tests; applications have it from `postrider/testing`. */
export * from './scripted-server.js';

export { createInbox, type Inbox, type InboxChange, type InboxOptions } from './create-inbox.js';
export type { InboxMessage } from './inbox-message.js';
export { inboxRoutes, type SampleSender } from './inbox-routes.js';
export { FRAME_POLICY, presentHtml, streamHtml } from './present-html.js';
export type { Sink, SinkOptions } from './start-sink.js';

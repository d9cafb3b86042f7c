/** The way back for a broadcast that waits for its time. */
import type { BroadcastSeen } from '../../../src/views/index.js';
import { callApi } from '../../api/call-api.js';
import { ConfirmButton } from '../../parts/confirm-button.js';

export const BROADCAST_TONE = {
  ...({ draft: 'quiet', scheduled: 'wait', sending: 'calm', sent: 'good', failed: 'bad' } as const),
};

export function TakeBack({ broadcast, onDone }: { broadcast: BroadcastSeen; onDone(): void }) {
  return (
    <ConfirmButton
      label="Take back"
      size="compact-sm"
      title={`Take back “${broadcast.name}”?`}
      act={() => callApi('POST', `/admin/broadcasts/${broadcast.id}/cancel`)}
      onDone={onDone}
    >
      It is a draft again and goes to nobody until it is told to.
    </ConfirmButton>
  );
}

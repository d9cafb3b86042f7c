/**
 * Room for short messages side by side, as Node's own pool gives it to what is shorter still. It lies outside of the heap,
 * where some hundred messages in flight were copied by every collection. A message that waits long for its answer holds
 * its whole slab, so that is small.
 */
export function takeRoom(bytes: number): Buffer {
  if (bytes > SLAB_BYTES / 4) return Buffer.allocUnsafeSlow(bytes);
  if (used + bytes > slab.length) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    used = 0;
  }
  used += bytes;
  return slab.subarray(used - bytes, used);
}

const SLAB_BYTES = 32 * 1024;
let slab: Buffer = Buffer.alloc(0);
let used = 0;

/** nodemailer with nothing behind it: emails from memory, no queue, nothing written down. */
export const settings = [{ connections: 5 }, { connections: 20 }, { connections: 50 }];

export const durability = 'none: emails are in memory only';

export async function open() {
  const waiting = [];
  return {
    insert: async (emails) => waiting.push(...emails),
    async work({ settings: { connections }, send, onDone }) {
      const sendNext = async () => {
        for (let email = waiting.pop(); email; email = waiting.pop()) {
          await send(email);
          onDone();
        }
      };
      await Promise.all(Array.from({ length: connections }, sendNext));
    },
    close: async () => {},
  };
}

/** An address with an optional display name, both already checked (see email-address.ts). */
export interface Mailbox {
  address: string;
  name?: string;
}

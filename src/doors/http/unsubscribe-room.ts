/** What the page behind an unsubscribe link needs: who the link is about is known to the room alone. */
export interface UnsubscribeRoom {
  /** null for a link that is not ours. */
  show(token: string): Promise<ShownSubscriptions | null>;
  /** Whether the link is ours; wishes that change nothing are fine. */
  change(token: string, wish: SubscriptionWish): Promise<boolean>;
}

export interface ShownSubscriptions {
  /** The kind of email the link came with. */
  category: string;
  /** Whether everything but the essential is refused. */
  all: boolean;
  categories: ReadonlyArray<{ name: string; subscribed: boolean }>;
}

export interface SubscriptionWish {
  /** null: everything. */
  refuse: ReadonlyArray<string | null>;
  want: readonly string[];
  by: 'one-click' | 'page';
}

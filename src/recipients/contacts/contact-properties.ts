import { isUuid, PostriderError } from '../../kernel/index.js';
import type { Database } from '../../store/index.js';

/**
 * What a company keeps of its contacts beside name and address, by name and kind. Contacts may have properties that are
 * not listed; a listed one gives broadcasts a value for everyone of whom none is known.
 */
export interface ContactProperty {
  id: string;
  key: string;
  type: 'string' | 'number';
  fallback: string | number | null;
  createdAt: string;
}

export interface ContactProperties {
  create(
    companyId: string,
    property: Pick<ContactProperty, 'key' | 'type' | 'fallback'>,
  ): Promise<ContactProperty>;
  /** Name and kind stay as they are. */
  change(companyId: string, id: string, fallback: string | number | null): Promise<ContactProperty>;
  find(companyId: string, id: string): Promise<ContactProperty | null>;
  list(companyId: string): Promise<ContactProperty[]>;
  /** What contacts have stays with them. */
  remove(companyId: string, id: string): Promise<boolean>;
}

export function createContactProperties(database: () => Promise<Database>): ContactProperties {
  const query = async (text: string, values: unknown[]): Promise<ContactProperty[]> =>
    (await (await database()).prompt().query<PropertyRow>(text, values)).rows.map(present);
  const find = async (companyId: string, id: string) => {
    if (!isUuid(id)) return null;
    const text = 'select * from postrider.contact_properties where tenant = $1 and id = $2';
    return (await query(text, [companyId, id]))[0] ?? null;
  };
  return {
    find,
    async create(companyId, { key, type, fallback }) {
      refuseOtherKind(type, fallback);
      const text = `insert into postrider.contact_properties (tenant, key, type, fallback) values ($1, $2, $3, $4)
        on conflict (tenant, upper(key)) do nothing returning *`;
      const [property] = await query(text, [companyId, key, type, written(fallback)]);
      if (property) return property;
      throw new PostriderError('INVALID_PAYLOAD', `There is a property ${key} already.`, { field: 'key' });
    },
    async change(companyId, id, fallback) {
      const known = await find(companyId, id);
      if (!known) throw propertyNotFound();
      refuseOtherKind(known.type, fallback);
      const text = `update postrider.contact_properties set fallback = $3
        where tenant = $1 and id = $2 returning *`;
      const [property] = await query(text, [companyId, id, written(fallback)]);
      if (!property) throw propertyNotFound();
      return property;
    },
    list: (companyId) =>
      query('select * from postrider.contact_properties where tenant = $1 order by id desc', [companyId]),
    async remove(companyId, id) {
      if (!isUuid(id)) return false;
      const text = 'delete from postrider.contact_properties where tenant = $1 and id = $2 returning *';
      return (await query(text, [companyId, id])).length > 0;
    },
  };
}

function refuseOtherKind(type: ContactProperty['type'], fallback: string | number | null): void {
  if (fallback === null || (type === 'number') === (typeof fallback === 'number')) return;
  throw new PostriderError('INVALID_PAYLOAD', `fallback_value must be a ${type}`, {
    field: 'fallback_value',
  });
}

const written = (fallback: string | number | null) => (fallback === null ? null : String(fallback));

interface PropertyRow {
  id: string;
  key: string;
  type: ContactProperty['type'];
  fallback: string | null;
  created_at: Date;
}

function present({ id, key, type, fallback, created_at }: PropertyRow): ContactProperty {
  return {
    ...{ id, key, type },
    fallback: fallback !== null && type === 'number' ? Number(fallback) : fallback,
    createdAt: new Date(created_at).toISOString(),
  };
}

export function propertyNotFound(): PostriderError {
  return new PostriderError('NOT_FOUND', 'Contact property not found', { field: 'id' });
}

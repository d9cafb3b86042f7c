import type { Statement } from './database.js';
import pg from './node-postgres.js';
import { postgresTypes } from './postgres-types.js';

/**
 * A prepared statement, whose rows the server describes once for each connection. The driver asks for that every time
 * and works out again how rows are read, which costs as much as reading several of them.
 */
export class PreparedQuery extends pg.Query {
  private askedOn: object | undefined;

  constructor(statement: Statement, values: readonly unknown[] | undefined) {
    // A text, not a configuration: the driver would copy that property by property.
    super(statement.text, values as unknown[]);
    const own = drivers(this);
    own.name = statement.name;
    own._result._types = postgresTypes;
  }

  /** A step of the driver's. */
  prepare(connection: DriverConnection): void {
    const own = drivers(this);
    const shape = shapes.get(connection)?.get(own.name);
    if (!shape) {
      this.askedOn = connection;
      DRIVERS.prepare.call(own, connection);
      return;
    }
    Object.assign(own._result, shape);
    own._accumulateRows = true;
    const { describe } = connection;
    connection.describe = () => undefined;
    try {
      DRIVERS.prepare.call(own, connection);
    } finally {
      connection.describe = describe;
    }
  }

  /** Another of them. */
  handleRowDescription(message: object): void {
    const own = drivers(this);
    DRIVERS.handleRowDescription.call(own, message);
    if (!this.askedOn) return;
    const { fields, _parsers, _prebuiltEmptyResultObject } = own._result;
    const known = shapes.get(this.askedOn) ?? new Map<string, Shape>();
    shapes.set(this.askedOn, known.set(own.name, { fields, _parsers, _prebuiltEmptyResultObject }));
  }
}

/** By connection and name of the statement. A server refuses to answer a prepared statement in another shape. */
const shapes = new WeakMap<object, Map<string, Shape>>();

/** What the driver makes of a description. */
interface Shape {
  fields: unknown;
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}

interface DriverConnection {
  describe(message: object): void;
}

/** What the driver's types do not name. */
interface DriverQuery {
  name: string;
  _result: Shape & { _types: unknown };
  _accumulateRows: boolean;
  prepare(connection: DriverConnection): void;
  handleRowDescription(message: object): void;
}

const DRIVERS = pg.Query.prototype as unknown as DriverQuery;

function drivers(query: PreparedQuery): DriverQuery {
  return query as unknown as DriverQuery;
}

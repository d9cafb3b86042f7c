/**
 * SQL for about how many bytes a jsonb column is as text, without writing it out: strings, which make up nearly all of what
 * is kept, take what they take in memory. What is stored compressed is unpacked for it; a few kilobytes of it can be
 * hundreds of megabytes, which as text may be more than PostgreSQL can hold.
 */
export function jsonBytes(column: string): string {
  return `case when pg_column_compression(${column}) is null then pg_column_size(${column})
    else pg_column_size(jsonb_build_array(${column})) end`;
}

/** The keys of a record, in their order, as what they are. */
export function keysOf<K extends string>(record: Readonly<Record<K, unknown>>): K[] {
  return Object.keys(record) as K[]
}

/** The keys of a record by their numbers. */
export function keysById<K extends string>(record: Readonly<Record<K, number>>): ReadonlyMap<number, K> {
  return new Map(keysOf(record).map((key) => [record[key], key]))
}

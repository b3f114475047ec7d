type UndefinedKeys<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T]

/** Object type in which keys that may be undefined are optional instead. */
export type Defined<T> = Omit<T, UndefinedKeys<T>> & {
  [K in UndefinedKeys<T>]?: Exclude<T[K], undefined>
}

/**
 * Returns the object without the keys whose value is undefined. The difference matters to code that lists
 * keys or serializes them.
 */
export function defined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>
}

/** True if a member of the object is not undefined. */
export function hasValues(values: object): boolean {
  return Object.values(values).some((value) => value !== undefined)
}

/** Returns a copy of the object without some of its keys. */
export function without<T extends object, K extends keyof T>(values: T, ...keys: K[]): Omit<T, K> {
  const rest = { ...values }
  for (const key of keys) delete rest[key]
  return rest
}

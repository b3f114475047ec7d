/** One column of requests: each request has the number of its value. */
export interface Column<T> {
  values: T[]
  /** Undefined where all have the first value. */
  indexes: Uint8Array | Uint16Array | Uint32Array | undefined
}

/** What is known of a request as text; null where it is not known. */
export type TextColumn =
  | ('method' | 'path' | 'userAgent' | 'userAgentFamily' | 'clientIp')
  | ('country' | 'region' | 'city' | 'visitor' | 'userName')
  | ('errorType' | 'host' | 'contentType')

/** What metrics of requests are taken from: requests of a service in one minute, as columns. */
export interface RequestColumns {
  count: number
  sizes: Float64Array
  /** Not a number where it is not known. */
  milliseconds: Float64Array
  /** Until the first byte of the answer; not a number where it is not known. */
  firstByteMilliseconds: Float64Array
  statuses: Column<number>
  texts: Readonly<Record<TextColumn, Column<string | null>>>
}

/** One column of requests: each request has the index of its value. */
export interface RequestColumn<T> {
  values: T[]
  /** Undefined where all have the first value. */
  indexes: Uint8Array | Uint16Array | Uint32Array | undefined
}

/** Text properties of a request; null if unknown. */
export type TextColumn =
  | ('method' | 'path' | 'userAgent' | 'userAgentFamily' | 'clientIp')
  | ('country' | 'region' | 'city' | 'visitor' | 'userName')
  | ('errorType' | 'host' | 'contentType')

/** Input of request metrics: requests of a service in one minute, as columns. */
export interface RequestColumns {
  count: number
  sizes: Float64Array
  /** Not a number where it is not known. */
  milliseconds: Float64Array
  /** Time until the first byte of the response; NaN if unknown. */
  firstByteMilliseconds: Float64Array
  statuses: RequestColumn<number>
  texts: Readonly<Record<TextColumn, RequestColumn<string | null>>>
}

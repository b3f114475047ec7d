/** Values of a host at one time. A value that the host does not report is absent or NaN. */
export interface HostReading {
  /** Processes that run or wait, on average over so many minutes. */
  loads?: { one?: number | undefined; five?: number | undefined; fifteen?: number | undefined }
  memory?: Memory
  /** Each disk once. */
  storages: readonly Storage[]
  /** Seconds of all processors since the start of the host: at work, and altogether. */
  processors?: { busy: number; total: number }
  /** CPU usage, if the host reports no CPU seconds. */
  busyPercent?: number | undefined
  traffic: readonly Traffic[]
  uptimeSeconds?: number
  /** Differs after each start of the host. */
  boot?: string
}

/** In bytes. */
export interface Memory {
  all?: number
  /** Memory available to programs without swapping. */
  free?: number
  buffers?: number
  /** If the host reports no bytes. */
  usedPercent?: number
}

/** A disk, in bytes. */
export interface Storage {
  mountPoint: string
  total: number
  used: number
  /** For those who are not root. */
  free: number
}

/** Bytes of an interface since the host, or the interface, came up. */
export interface Traffic {
  /** The interface, or `count` for all of them. */
  label: string
  received: number
  sent: number
}

/** Increase of counters since the previous reading. */
export interface HostAmounts {
  seconds: number
  processors?: { busy: number; total: number }
  traffic: readonly Traffic[]
}

/** What a host tells at one moment. What it does not tell is absent, or not a number. */
export interface HostReading {
  /** Processes that run or wait, on average over so many minutes. */
  loads?: { one?: number | undefined; five?: number | undefined; fifteen?: number | undefined }
  memory?: Memory
  /** Each disk once. */
  storages: readonly Storage[]
  /** Seconds of all processors since the start of the host: at work, and altogether. */
  processors?: { busy: number; total: number }
  /** How busy processors are, where no seconds are told. */
  busyPercent?: number | undefined
  traffic: readonly Traffic[]
  uptimeSeconds?: number
  /** Differs after each start of the host. */
  boot?: string
}

/** In bytes. */
export interface Memory {
  all?: number
  /** What programs can have without swapping. */
  free?: number
  buffers?: number
  /** Where the host tells no bytes. */
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

/** What counters rose by since the reading before. */
export interface HostAmounts {
  seconds: number
  processors?: { busy: number; total: number }
  traffic: readonly Traffic[]
}

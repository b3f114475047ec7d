/** Values of a host at one time. A value that the host does not report is absent or NaN. */
export interface HostReading {
  /** Load averages over one, five and fifteen minutes. */
  loads?: { one?: number | undefined; five?: number | undefined; fifteen?: number | undefined }
  memory?: Memory
  /** Each disk once. */
  storages: readonly Storage[]
  /** Busy and total seconds of all processors since the start of the host. */
  processors?: { busy: number; total: number }
  /** CPU usage, if the host reports no CPU seconds. */
  busyPercent?: number | undefined
  traffic: readonly Traffic[]
  uptimeSeconds?: number
  /** Differs after each start of the host. */
  boot?: string
}

/** Memory of a host, in bytes. */
export interface Memory {
  all?: number
  /** Memory available to programs without swapping. */
  free?: number
  buffers?: number
  /** Used share of the memory, if the host reports no bytes. */
  usedPercent?: number
}

/** A disk, in bytes. */
export interface Storage {
  mountPoint: string
  total: number
  used: number
  /** Free space for users other than root. */
  free: number
}

/** Bytes that an interface received and sent since it was started. */
export interface Traffic {
  /** Name of the interface, or `count` for all of them. */
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

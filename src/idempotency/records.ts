/**
 * The first answer to a key; `status` 0 while it is being made. `createdAt` is then when the process that makes it
 * last said so.
 */
export interface StoredAnswer {
  requestHash: string
  status: number
  headers: Record<string, string>
  body: string
  createdAt: string
}

/** The request that has a key. */
export interface Claim {
  userName: string
  key: string
  requestHash: string
}

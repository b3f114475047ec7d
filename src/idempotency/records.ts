/**
 * The first response to a key; `status` is 0 until it is complete. `createdAt` is then the last renewal of
 * the claim.
 */
export interface StoredAnswer {
  requestHash: string
  status: number
  headers: Record<string, string>
  body: string
  createdAt: string
}

/** A request with a key. */
export interface Claim {
  userName: string
  key: string
  requestHash: string
}

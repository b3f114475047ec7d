/** How long and how much is kept of what layers were. */
export interface VersionLimits {
  /** 0: nothing is kept. */
  days: number
  /** For the layers of each store. */
  bytes: number
}

const dayMs = 86_400_000

/** Until when contents that were put aside now are kept. */
export function keptUntil(endedAt: string, { days }: VersionLimits): string {
  return new Date(Date.parse(endedAt) + days * dayMs).toISOString()
}

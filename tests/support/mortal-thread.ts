import { serveWork } from '../../src/core/workers/serve-work.ts'

// Thread that responds like the collector, and ends on request.
const known: unknown[] = []
serveWork({
  own: () => process.exit(1),
  services: (services: unknown[]) => {
    known.splice(0, known.length, ...services)
  },
  tick: () => ({ isBusy: false, polled: [], problems: known.map(String) }),
})

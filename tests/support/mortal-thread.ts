import { serveWork } from '../../src/lib/workers/serve-work.ts'

// A thread that answers like the collector, and ends when it is told to.
const known: unknown[] = []
serveWork({
  own: () => process.exit(1),
  services: (services: unknown[]) => {
    known.splice(0, known.length, ...services)
  },
  tick: () => ({ isBusy: false, polled: [], problems: known.map(String) }),
})

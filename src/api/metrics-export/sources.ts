import { Gauge } from 'prom-client'
import { runOutcomes, sourceStates } from '../../sources/index.ts'
import type { ExportedMetric } from './exported-metric.ts'
import { counter } from './exported-metric.ts'

const described = { name: 'terrane_sources', help: 'Sources by state: imports that repeat.' }

/** Numbers of sources by state, as of the last second. */
export const sourcesByState: ExportedMetric = {
  ...described,
  add: (registry, { sources }) => {
    if (sources === undefined) return []
    new Gauge({
      ...described,
      labelNames: ['state'],
      registers: [registry],
      collect() {
        const counts = sources()
        for (const state of sourceStates) this.set({ state }, counts[state] ?? 0)
      },
    })
    return []
  },
}

export const sourceRunsTotal = counter(
  {
    name: 'terrane_source_runs_total',
    help: 'Runs of sources that this server has ended, by outcome.',
    labels: ['outcome'],
  },
  (runs, events) => {
    for (const outcome of runOutcomes) runs.inc({ outcome }, 0)
    return [events.on('source.ended', ({ outcome }) => runs.inc({ outcome }))]
  },
)

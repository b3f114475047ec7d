import type { RejectedRow } from '../../geo/batch.ts'
import type { MendedPlan } from '../model/load-rules.ts'
import { KnownRejects } from './known-rejects.ts'
import type { Ledger } from './ledger.ts'
import type { FlowHooks } from './load-flow.ts'
import type { LoadSource } from './load-plan.ts'
import { openMended } from './mended-rows.ts'
import type { OpenSource } from './open-source.ts'
import { openSource } from './open-source.ts'
import { sentSource } from './sent-layer.ts'

/** Opens a file with corrected rows like the source of their task, and registers the rows in the ledger. */
export async function openSent(
  from: LoadSource,
  plan: MendedPlan,
  ledger: Ledger,
  hooks: FlowHooks,
): Promise<OpenSource> {
  const source = await openSource(sentSource(from, plan.schema), hooks.signal)
  try {
    const known = await KnownRejects.read(plan.rejects)
    ledger.known = known
    const onRefuse = (row: RejectedRow): void => ledger.refuseMended(row)
    return await openMended(source, plan, known, { ...hooks, onRefuse })
  } catch (error) {
    await source.close()
    throw error
  }
}

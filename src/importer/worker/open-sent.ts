import type { RejectedRow } from '../../geo/batch.ts'
import type { CorrectionPlan } from '../model/load-rules.ts'
import { openCorrections } from './corrections.ts'
import type { FlowHooks } from './load-flow.ts'
import type { LoadSource } from './load-plan.ts'
import type { OpenSource } from './open-source.ts'
import { openSource } from './open-source.ts'
import type { RowAccounting } from './row-accounting.ts'
import { sentSource } from './sent-layer.ts'
import { StoredRejects } from './stored-rejects.ts'

/** Opens a file with corrected rows like the source of their task, and registers the rows for row accounting. */
export async function openSent(
  from: LoadSource,
  plan: CorrectionPlan,
  accounting: RowAccounting,
  hooks: FlowHooks,
): Promise<OpenSource> {
  const source = await openSource(sentSource(from, plan.schema), hooks.signal)
  try {
    const known = await StoredRejects.read(plan.rejects)
    accounting.known = known
    const onRefuse = (row: RejectedRow): void => accounting.refuseCorrection(row)
    return await openCorrections(source, plan, known, { ...hooks, onRefuse })
  } catch (error) {
    await source.close()
    throw error
  }
}

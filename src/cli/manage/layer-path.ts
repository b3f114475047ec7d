import { UsageError } from '../options.ts'
import type { ManageContext } from './run-kind.ts'

/** A layer is named `WORKSPACE:NAME`, or `NAME` with `--workspace`, else in the default workspace. */
export function layerPath({ values }: ManageContext, name: string): string {
  const { workspace } = values
  const isWhole = workspace === undefined || name.startsWith(`${workspace}:`)
  if (!isWhole && name.includes(':'))
    throw new UsageError(`"${name}" names another workspace than --workspace ${workspace}`)
  return `/rest/layers/${encodeURIComponent(isWhole ? name : `${workspace}:${name}`)}`
}

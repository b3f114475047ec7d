import type { OwsDeps } from '../../ows-deps.ts'
import { requireCoverages } from '../coverage-names.ts'
import { planCoverage } from '../plan-coverage.ts'
import { sendCoverage } from '../send-coverage.ts'
import type { WcsRequest } from '../wcs-request.ts'
import { readKvp } from './coverage-request.ts'

/** Sends a part of a coverage (OGC 09-110r4, section 8.4). */
export async function getCoverage(
  { catalog, coverages }: Pick<OwsDeps, 'catalog' | 'coverages'>,
  wcsRequest: WcsRequest,
): Promise<unknown> {
  const { request, values, workspace, version, coverage = readKvp(values) } = wcsRequest
  const ids = [coverage.coverageId]
  const [layer] = await requireCoverages(catalog, request, ids, { workspace, version })
  return sendCoverage(coverages, wcsRequest, layer, (current, grid) => planCoverage(coverage, current, grid))
}

import { defined } from '../../../lib/defined.ts'
import { Failure } from '../../../lib/errors.ts'
import { sendMade, waitFor } from '../../ogc/generated-download.ts'
import type { OwsDeps } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { FeatureReading } from './feature-readings.ts'
import type { FeatureRequest } from './feature-request.ts'
import type { WfsRequest } from './wfs-deps.ts'

/** Time that a client waits for the file. */
const longestWaitSeconds = 300

/** Features as a zipped Shapefile, made as downloads are. */
export async function sendShapeZip(
  { features }: OwsDeps,
  { request, reply }: WfsRequest,
  { layer, wish, ids }: FeatureReading,
  { count, startIndex }: FeatureRequest,
): Promise<unknown> {
  const { schema } = layer.details
  if (schema.geometry === undefined)
    throw new OwsFailure(
      'InvalidParameterValue',
      `A Shapefile has no place for rows without geometry, as those of "${layer.name}" are: ask for csv`,
      'outputformat',
    )
  const { box, filter, selection, sort, named } = wish
  const page = defined({
    limit: count,
    offset: startIndex === 0 ? undefined : startIndex,
    sort: sort.length === 0 ? undefined : sort,
    featureIds: ids,
  })
  const wanted = {
    format: 'shp' as const,
    page,
    ...defined({ box, filter, srs: named?.srs, properties: selection?.attributes }),
  }
  const { name } = request.caller
  const record = await features.downloads.begin(layer, wanted, {
    user: name ?? '',
    owner: name ?? `anonymous ${request.ip}`,
    isBrief: true,
  })
  const made = await waitFor(features, record, longestWaitSeconds, reply)
  if (made.state === 'COMPLETE') return sendMade(features, made, request, reply)
  await features.downloads.files.remove(record.id)
  if (made.message !== undefined) throw new Failure('unavailable', 'download-failed', made.message)
  const text = `The file took longer than ${longestWaitSeconds} s: ask for less`
  throw new Failure('unavailable', 'too-slow', text)
}

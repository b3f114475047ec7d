import { arcgisFeatureServer } from './arcgis-featureserver.ts'
import { ogcApiFeatures } from './ogcapi-features.ts'
import type { ServiceData, ServiceRead, ServiceReader, ServiceReadOptions } from './service.ts'
import { wfs } from './wfs.ts'

/** Readers of services: one line for each. */
const readers: readonly ServiceReader[] = [ogcApiFeatures, wfs, arcgisFeatureServer]

/** Reads the features of a layer of a service into one file. Throws `Failure`. */
export function readService(data: ServiceData, options: ServiceReadOptions): Promise<ServiceRead> {
  const reader = readers.find(({ kind }) => kind === data.kind)
  if (reader === undefined) throw new Error(`Nothing reads services of the kind "${data.kind}"`)
  return reader.read(data, options)
}

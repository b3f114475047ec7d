import { makeGeoPackageStore } from './geopackage-store.ts'
import { describeStoreContract } from './store-contract.ts'

describeStoreContract('GeoPackage', makeGeoPackageStore)

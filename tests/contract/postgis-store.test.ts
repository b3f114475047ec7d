import { makePostgisStore } from '../support/postgis-store.ts'
import { describeStoreContract } from './store-contract.ts'

describeStoreContract('PostGIS', makePostgisStore)

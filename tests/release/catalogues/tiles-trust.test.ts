import { describeTrust } from '../../contract/tiles/tiles-trust.ts'

// tests/contract/tiles/tiles-trust.test.ts has the other catalogue.
describeTrust('PostgreSQL and PostGIS')

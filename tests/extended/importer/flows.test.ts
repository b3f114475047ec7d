import { describeFlows, flowPlaces } from '../../contract/importer/flows.ts'

// tests/contract/importer/flows.test.ts runs them into the default stores of both catalogues.
for (const place of flowPlaces) if (place.store !== 'topp') describeFlows(place)

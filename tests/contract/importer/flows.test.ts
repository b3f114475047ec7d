import { describeFlows, flowPlaces } from './flows.ts'

// tests/extended/importer/flows.test.ts runs them into stores of the other type than the catalogue.
for (const place of flowPlaces) if (place.store === 'topp') describeFlows(place)

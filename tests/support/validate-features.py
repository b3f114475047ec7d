# Validates the features of documents against the schemas that describe them; one JSON object on standard input.
import json
import sys

from lxml import etree

asked = json.load(sys.stdin)


class Beside(etree.Resolver):
    def resolve(self, url, public_id, context):
        version = '3.2' if '3.2' in url else '3.1'
        return self.resolve_filename(asked['folder'] + '/stand-in-' + version + '.xsd', context)


parser = etree.XMLParser()
parser.resolvers.add(Beside())
told = []
for one in asked['documents']:
    schema = etree.XMLSchema(etree.fromstring(one['schema'].encode(), parser))
    root = etree.fromstring(one['document'].encode(), etree.XMLParser(huge_tree=True))
    count, errors = 0, []
    for member in root:
        for feature in member:
            count += 1
            if not schema.validate(etree.ElementTree(feature)):
                errors += [str(error) for error in schema.error_log]
    told.append({'count': count, 'errors': errors[:20]})
print(json.dumps(told))

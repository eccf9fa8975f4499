/** The methods of RFC 9110, section 9, and PATCH (RFC 5789): of low cardinality, unlike what callers invent. */
export const knownMethods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
] as const;

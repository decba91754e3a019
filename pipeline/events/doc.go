// Package events lays events out as shards: records whose value is a row or an
// array of rows, in a format of its own for each folder below.
//
// A row is an object. Its fields are columns, those of objects inside it by their
// path (customer.age). What a column holds follows from the record alone, from
// nothing that came before it:
//
//   - numbers written as whole ones that fit 64 bits are Integer; with any other
//     number among them the column is Float, as it is where the models use it as a
//     number only;
//   - true and false are Bool;
//   - text is Text, or Time where every value is a date or time of ISO 8601, as
//     producer replay reads it, or a time by the record's schema;
//   - values of more than one of these are Text, each as it is written;
//   - arrays, and what has no form as number or label, are skipped;
//   - a field that a row lacks is null there, and a column that the models name and
//     the record lacks is null in every row.
//
// A field that is there twice, a record without any column that the models name, and
// one that asks for more than its limits is refused. No allocation is larger than a
// fixed multiple of the record.
package events

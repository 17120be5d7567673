//! Overwrites unused data with zeros after the functions were optimised: names of source files and texts for the
//! messages of panics, tables for the digits of floating point numbers. wasm-opt removes functions and leaves the data
//! unchanged, since it cannot know where one constant ends and the next begins. The linker knows: with `--emit-relocs`
//! it writes this, and which constants refer to which.
//!
//! Every constant keeps its address; zeros cost almost nothing when they are compressed.

use std::{collections::BTreeMap, ops::Range};

use wasmparser::{
    BinaryReader, Data, DataKind, Linking, LinkingSectionReader, Operator, Parser, Payload,
    RelocSectionReader, RelocationType, SymbolInfo,
};

use crate::Result;

/// The constants of a linked module, by their addresses.
#[derive(Debug, Default)]
pub struct Constants {
    constants: Vec<Constant>,
    /// Positions in constants that contain the address of a constant, in their order, with its index.
    references: Vec<(u64, usize)>,
}

#[derive(Debug)]
struct Constant {
    /// The addresses of its bytes.
    bytes: Range<u64>,
    /// The addresses that refer to it: those of its bytes, the one after them, and those that the compiler counts from.
    meant: Range<u64>,
}

impl Constants {
    /// Reads the information of the linker.
    pub fn read(linked: &[u8]) -> Result<Self> {
        let mut segments = Vec::new();
        let mut data_section = 0;
        let mut linking = None;
        let mut relocations = Vec::new();
        for payload in Parser::new(0).parse_all(linked) {
            match payload? {
                Payload::DataSection(section) => {
                    data_section = section.range().start;
                    for segment in section {
                        segments.push(Segment::of(&segment?)?);
                    }
                }
                Payload::CustomSection(section) => {
                    let reader = BinaryReader::new(section.data(), section.data_offset());
                    match section.name() {
                        "linking" => linking = Some(LinkingSectionReader::new(reader)?),
                        name @ ("reloc.CODE" | "reloc.DATA") => {
                            for entry in RelocSectionReader::new(reader)?.entries() {
                                relocations.push((name == "reloc.DATA", entry?));
                            }
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        let linking =
            linking.ok_or("the module was not linked with --emit-relocs; see xtask/src/js.rs")?;
        let mut read = Self::default();
        // The constants among the symbols: an index in the table of symbols is not one of constants.
        let by_symbol = read.read_symbols(&linking, &segments)?;
        for (is_data, entry) in relocations {
            // Its index is that of a type and not of a symbol.
            if entry.ty == RelocationType::TypeIndexLeb {
                continue;
            }
            let Some(&constant) = by_symbol.get(&entry.index) else {
                continue;
            };
            if let Some(known) = read.constants.get_mut(constant) {
                known.is_meant_by(known.bytes.start.saturating_add_signed(entry.addend));
            }
            if is_data {
                let place = data_section + entry.offset as usize;
                let segment = segments.iter().find(|of| of.file.contains(&place));
                let segment = segment.ok_or("a reference lies outside of the data")?;
                let address = segment.address + (place - segment.file.start) as u64;
                read.references.push((address, constant));
            }
        }
        read.references.sort_unstable();
        Ok(read)
    }

    fn read_symbols(
        &mut self,
        linking: &LinkingSectionReader<'_>,
        segments: &[Segment],
    ) -> Result<BTreeMap<u32, usize>> {
        let mut by_symbol = BTreeMap::new();
        for section in linking.subsections() {
            let Linking::SymbolTable(table) = section? else {
                continue;
            };
            for (index, symbol) in (0..).zip(table) {
                let SymbolInfo::Data {
                    symbol: Some(data), ..
                } = symbol?
                else {
                    continue;
                };
                // Constants without bytes in the module are zero already.
                let Some(segment) = segments.get(data.index as usize) else {
                    continue;
                };
                let start = segment.address + u64::from(data.offset);
                by_symbol.insert(index, self.constants.len());
                self.constants
                    .push(Constant::at(start..start + u64::from(data.size)));
            }
        }
        Ok(by_symbol)
    }

    /// Overwrites the constants of the optimised module that its functions do not refer to.
    pub fn sweep(&self, module: &mut [u8]) -> Result<Swept> {
        let mut segments = Vec::new();
        let mut mentioned = Vec::new();
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::CodeSectionEntry(body) => {
                    let mut operators = body.get_operators_reader()?;
                    while !operators.eof() {
                        mentioned.extend(addresses(&operators.read()?));
                    }
                }
                Payload::GlobalSection(globals) => {
                    for global in globals {
                        let mut operators = global?.init_expr.get_operators_reader();
                        while !operators.eof() {
                            mentioned.extend(addresses(&operators.read()?));
                        }
                    }
                }
                Payload::DataSection(section) => {
                    for segment in section {
                        segments.push(Segment::of(&segment?)?);
                    }
                }
                _ => {}
            }
        }
        let live = self.live(mentioned);
        let mut swept = Swept::default();
        for segment in &segments {
            let end = segment.address + segment.file.len() as u64;
            let mut is_kept = vec![true; segment.file.len()];
            // Constants may overlap, and bytes that a used constant contains are used, so those are handled last.
            for keeps in [false, true] {
                for (constant, is_live) in self.constants.iter().zip(&live) {
                    let bytes = &constant.bytes;
                    let (from, to) = (bytes.start.max(segment.address), bytes.end.min(end));
                    if *is_live == keeps && from < to {
                        let place = (from - segment.address) as usize;
                        is_kept[place..place + (to - from) as usize].fill(keeps);
                    }
                }
            }
            let bytes = module
                .get_mut(segment.file.clone())
                .ok_or("a segment lies outside of the module")?;
            for (byte, _) in bytes.iter_mut().zip(is_kept).filter(|(_, kept)| !kept) {
                *byte = 0;
                swept.blank += 1;
            }
            swept.all += segment.file.len();
        }
        Ok(swept)
    }

    /// Which constants are in use, when the functions mention these numbers. A number that happens to be the address of
    /// a constant keeps it, which does no harm.
    fn live(&self, mentioned: Vec<u64>) -> Vec<bool> {
        let mut live = vec![false; self.constants.len()];
        let mut found: Vec<usize> = Vec::new();
        for address in mentioned {
            for (index, constant) in self.constants.iter().enumerate() {
                if constant.meant.contains(&address) && !live[index] {
                    live[index] = true;
                    found.push(index);
                }
            }
        }
        while let Some(index) = found.pop() {
            let bytes = &self.constants[index].bytes;
            let from = self.references.partition_point(|(at, _)| *at < bytes.start);
            for (at, referred) in self.references.iter().skip(from) {
                if *at >= bytes.end {
                    break;
                }
                if !live[*referred] {
                    live[*referred] = true;
                    found.push(*referred);
                }
            }
        }
        live
    }
}

impl Constant {
    fn at(bytes: Range<u64>) -> Self {
        let meant = bytes.start..bytes.end + 1;
        Self { bytes, meant }
    }

    fn is_meant_by(&mut self, address: u64) {
        self.meant.start = self.meant.start.min(address);
        self.meant.end = self.meant.end.max(address + 1);
    }
}

/// The number of bytes that were overwritten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    pub blank: usize,
    pub all: usize,
}

/// The numbers of an instruction that can be addresses of constants.
fn addresses(operator: &Operator<'_>) -> impl Iterator<Item = u64> + use<> {
    let (first, second) = match operator {
        // A difference of addresses contains them with the opposite sign.
        Operator::I32Const { value } => (
            u64::from(value.cast_unsigned()),
            u64::from(value.wrapping_neg().cast_unsigned()),
        ),
        Operator::I64Const { value } => {
            let value = value.cast_unsigned();
            (value & u64::from(u32::MAX), value >> 32)
        }
        operator => (offset(operator).unwrap_or_default(), 0),
    };
    [first, second].into_iter().filter(|address| *address > 0)
}

/// What an instruction that reads or writes memory adds to the address.
fn offset(operator: &Operator<'_>) -> Option<u64> {
    use Operator as O;
    match operator {
        O::I32Load { memarg }
        | O::I64Load { memarg }
        | O::F32Load { memarg }
        | O::F64Load { memarg }
        | O::I32Load8S { memarg }
        | O::I32Load8U { memarg }
        | O::I32Load16S { memarg }
        | O::I32Load16U { memarg }
        | O::I64Load8S { memarg }
        | O::I64Load8U { memarg }
        | O::I64Load16S { memarg }
        | O::I64Load16U { memarg }
        | O::I64Load32S { memarg }
        | O::I64Load32U { memarg }
        | O::I32Store { memarg }
        | O::I64Store { memarg }
        | O::F32Store { memarg }
        | O::F64Store { memarg }
        | O::I32Store8 { memarg }
        | O::I32Store16 { memarg }
        | O::I64Store8 { memarg }
        | O::I64Store16 { memarg }
        | O::I64Store32 { memarg } => Some(memarg.offset),
        _ => None,
    }
}

/// A part of the memory that comes with the module.
#[derive(Debug)]
struct Segment {
    address: u64,
    /// The position of its bytes in the file.
    file: Range<usize>,
}

impl Segment {
    fn of(segment: &Data<'_>) -> Result<Self> {
        let DataKind::Active { offset_expr, .. } = &segment.kind else {
            return Err("a segment of data has no place in memory".into());
        };
        let Operator::I32Const { value } = offset_expr.get_operators_reader().read()? else {
            return Err("a segment of data has no fixed place in memory".into());
        };
        let end = segment.range.end;
        Ok(Self {
            address: u64::from(value.cast_unsigned()),
            file: end - segment.data.len()..end,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: u8 = 64;
    /// Four constants of four bytes each; the second holds the address of the third.
    const DATA: &[u8; 16] = b"AAAAH\0\0\0CCCCDDDD";

    fn section(id: u8, content: &[u8]) -> Vec<u8> {
        let mut section = vec![id, u8::try_from(content.len()).unwrap()];
        section.extend(content);
        section
    }

    fn custom(name: &str, content: &[u8]) -> Vec<u8> {
        let mut whole = vec![u8::try_from(name.len()).unwrap()];
        whole.extend(name.as_bytes());
        whole.extend(content);
        section(0, &whole)
    }

    /// A module with one function of these instructions and a segment with the four constants.
    fn module(instructions: &[u8]) -> Vec<u8> {
        let mut body = vec![0];
        body.extend(instructions);
        body.push(0x0b);
        let mut code = vec![1, u8::try_from(body.len()).unwrap()];
        code.extend(body);
        let mut data = vec![1, 0, 0x41, 0xc0, 0x00, 0x0b, 16];
        data.extend(DATA);
        let mut module = b"\0asm\x01\0\0\0".to_vec();
        module.extend(section(1, &[1, 0x60, 0, 0]));
        module.extend(section(3, &[1, 0]));
        module.extend(section(5, &[1, 0, 1]));
        module.extend(section(10, &code));
        module.extend(section(11, &data));
        module
    }

    /// The same as the linker writes it. The function counts from four bytes before the fourth constant.
    fn linked() -> Vec<u8> {
        let mut linked = module(&[]);
        let mut symbols = vec![4];
        for (name, offset) in (b'a'..).zip([0, 4, 8, 12]) {
            symbols.extend([1, 0, 1, name, 0, offset, 4]);
        }
        let mut linking = vec![2, 8, u8::try_from(symbols.len()).unwrap()];
        linking.extend(symbols);
        linked.extend(custom("linking", &linking));
        // R_WASM_MEMORY_ADDR_SLEB to the fourth symbol, less 4.
        linked.extend(custom("reloc.CODE", &[3, 1, 4, 2, 3, 0x7c]));
        // R_WASM_MEMORY_ADDR_I32 to the third symbol, from the fifth byte of the segment.
        linked.extend(custom("reloc.DATA", &[4, 1, 5, 7 + 4, 2, 0]));
        linked
    }

    fn swept(instructions: &[u8]) -> Vec<u8> {
        let mut module = module(instructions);
        let constants = Constants::read(&linked()).unwrap();
        let swept = constants.sweep(&mut module).unwrap();
        assert_eq!(swept.all, DATA.len());
        let data = module.split_off(module.len() - DATA.len());
        let blank = data.iter().zip(DATA).filter(|(now, then)| now != then);
        assert!(swept.blank >= blank.count());
        data
    }

    /// `i32.const`, and `drop`.
    fn mention(address: u8) -> [u8; 4] {
        [0x41, 0x80 | address, 0, 0x1a]
    }

    #[test]
    fn constants_that_no_function_mentions_are_overwritten() {
        assert_eq!(swept(&[]), [0; 16]);
        assert_eq!(swept(&mention(ADDRESS)), *b"AAAA\0\0\0\0\0\0\0\0\0\0\0\0");
    }

    #[test]
    fn constants_that_a_used_constant_refers_to_are_kept() {
        let data = swept(&mention(ADDRESS + 6));
        assert_eq!(data, *b"\0\0\0\0H\0\0\0CCCC\0\0\0\0");
    }

    #[test]
    fn a_constant_is_known_by_the_address_that_the_compiler_counts_from_and_by_an_offset() {
        let data = swept(&mention(ADDRESS + 8));
        assert!(data.ends_with(b"CCCCDDDD"), "{data:?}");
        // i32.const 0, i32.load8_u offset, drop
        let data = swept(&[0x41, 0, 0x2d, 0, ADDRESS + 13, 0x1a]);
        assert_eq!(data, *b"\0\0\0\0\0\0\0\0\0\0\0\0DDDD");
    }

    #[test]
    fn a_module_without_information_of_the_linker_is_an_error() {
        let message = Constants::read(&module(&[])).unwrap_err().to_string();
        assert!(message.contains("--emit-relocs"), "{message}");
    }
}
